"""The strategies for Big Three: one file a method."""
