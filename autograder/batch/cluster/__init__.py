"""Grading on other machines, over Dask: the same results, from workers that come and go.

Imported only when it is asked for: it needs the extra ``dask``.
"""
