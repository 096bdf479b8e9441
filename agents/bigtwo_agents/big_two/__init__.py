"""The strategies for Big Two: one file a method."""
