"""What plays: runs, matches, curves and trials, on threads, processes and clusters."""
