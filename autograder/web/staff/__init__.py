"""Serve the staff: the class, decisions, exports, imports, regrades and the server's health."""
