"""What is played: plans, and the rules that end a run."""
