"""Small fixed experiments on one part of an engine at a time."""
