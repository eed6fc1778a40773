"""What commands print: lines, tables, progress and events."""
