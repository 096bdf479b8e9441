"""The screens of the table and what opens over them."""
