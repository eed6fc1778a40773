"""What every platform needs: models, downloads, tables, export files, and how plugins are called and checked."""
