"""The `bigtwo` command."""
