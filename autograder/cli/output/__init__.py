"""Print what commands say: lines, tables, progress and events."""
