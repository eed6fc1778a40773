# %% [markdown]
# # A byte-pair tokenizer
#
# How does a language model cut a text into pieces? You are going to write it in about 40 lines. The
# handout (`handout.md`) has the contract and the marks; this notebook tells the story and checks your
# work as you go.
#
# There is **one cell to fill in**, the code below. Read a section, scroll up, write, run that cell again,
# come back, run the check. Nothing here breaks when something is not written yet, so *Run All* is always
# safe.

# %%
from notebook_check import run_tests, try_it

# %% [markdown]
# ## The code
#
# Replace each `raise NotImplementedError(...)` by your code.

# %%
# <value.py>

# %% [markdown]
# ## 1. Counting pairs
#
# To a computer a text is bytes, and bytes are numbers from 0 to 255. This is what yours starts from:

# %%
text = "low lower"
print(list(text.encode()))

# %% [markdown]
# Which two neighbours come up most often? Count them by eye first: `l` is 108, `o` is 111, `w` is 119. Then
# write `count_pairs`. Mind that pairs may overlap: in `[1, 1, 1]` the pair `(1, 1)` stands twice.


# %%
def pairs_of_low_lower():
    counts = count_pairs(list(text.encode()))
    return f"(108, 111) stands {counts[108, 111]} times (expected: 2)"


try_it(pairs_of_low_lower)

# %% [markdown]
# ## 2. Merging a pair
#
# The most frequent pair becomes one piece, with a number of its own. Go from left to right, and use no
# number twice: three in a row are one pair, and one that is left.


# %%
def three_in_a_row():
    return f"merge gives {merge([1, 1, 1], (1, 1), 256)} (expected: [256, 1])"


try_it(three_in_a_row)

# %%
run_tests("test_1_pairs")

# %% [markdown]
# ## 3. Learning
#
# Count, take the most frequent pair, merge it, and count again: the counts are others now. That is all
# there is to learning. Write `__init__` of `Tokenizer`, and watch the pieces grow.


# %%
def pieces():
    tokenizer = Tokenizer("low lower lowest", 260)
    return "\n".join(f"{new}: {pair}" for pair, new in tokenizer.merges.items())


try_it(pieces)

# %% [markdown]
# The handout has these four in its table, with what they stand for.
#
# ## 4. There and back
#
# A new text is cut by what was learnt, **in the order of learning**. On the way back, join all the bytes
# first: a piece may end in the middle of a character.


# %%
def a_word_it_never_saw():
    return f"slow becomes {Tokenizer('low lower lowest', 260).encode('slow')} (expected: [115, 257])"


def there_and_back():
    tokenizer = Tokenizer("low lower lowest", 260)
    return f"naïve comes back as {tokenizer.decode(tokenizer.encode('naïve'))}"


try_it(a_word_it_never_saw)
try_it(there_and_back)

# %%
run_tests("test_2_tokenizer")
