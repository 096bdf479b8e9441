"""What `bigtwo bench` measures."""
