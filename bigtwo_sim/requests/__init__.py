"""What the commands do, as functions for notebooks: a request says what is asked, a result what came of it."""
