"""What follows from the sums of blocks: means, intervals, strengths. Nothing here plays or reads files."""
