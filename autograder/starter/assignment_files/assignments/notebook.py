# %% [markdown]
# # $title
#
# Fill in the cell below, run it, then run the checks. The handout (`handout.md`) has the contract and the marks.

# %%
from notebook_check import run_tests, try_it

# %% [markdown]
# ## The class
#
# Replace each `raise NotImplementedError(...)` by your code.

# %%
# <value.py>

# %% [markdown]
# ## Check your work

# %%
run_tests("test_1_vector")
