"""Grade on other machines, over Dask: the same results, from workers that come and go.

This package is imported only when it is asked for: it needs the extra ``dask``.
"""
