"""Keep results and graded classes: what was handed in, what it got, by which rules, and what people decided."""
