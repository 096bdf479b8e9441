"""Text for terminals: tables, progress, reports."""
