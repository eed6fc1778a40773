"""Provide models, downloads, tables and export files for every platform, and call and check plugins."""
