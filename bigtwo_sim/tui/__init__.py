"""`bigtwo play`: one person and three agents at a table, as an app for the terminal and the browser."""
