"""The staff's pages: the class, decisions, exports, imports, regrades and the server's health."""
