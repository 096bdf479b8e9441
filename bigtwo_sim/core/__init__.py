"""What everything stands on: cards as bits, the compile decorator and its cache, random streams."""
