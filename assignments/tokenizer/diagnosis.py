"""Say how to make fresh programs of a tokenizer's parts, so that mistakes are named with a smallest example."""

from autograder.diagnosis import Operation, make_call_diagnosis

diagnosis = make_call_diagnosis(
    values={
        "ids": [
            *([1, 2, 1, 2], [1, 1, 1], [5, 1, 2, 6, 1, 2, 7], [2, 1, 2], [1, 2], [7], []),
            *([1, 1, 2, 1, 1, 1, 2, 2], [0, 1, 0, 1]),
        ],
        "pair": [(1, 2), (1, 1), (2, 1), (1, 0)],
        "text": ["low lower lowest", "abab", "cdab", "aaab", "é€é", "a", "zyzyxba", "aaba", "ab\n ab\n"],
        "other": ["low", "abc", "é", "slower", "", "ab", "abcab"],
        "size": [260, 257, 256, 300],
        "bytes": [[104, 105], [195], [104, 195, 105], [195, 169], [], [226, 130]],
    },
    operations=[
        Operation(
            "sorted(({ids:a}, pair, count) for pair, count in count_pairs({ids:a}).items())", about=("count_pairs",)
        ),
        Operation("sorted(count_pairs([0, 1, 0, 1]).items())", about=("count_pairs",)),
        Operation("list(merge({ids}, {pair}, 9))", about=("merge",)),
        # numbers in which the digits of others stand
        Operation("list(merge([11, 2, 21, 2, 1, 2], {pair}, 9))", about=("merge",)),
        Operation("{ids}", gives="list"),  # one that is passed, and looked at afterwards
        Operation("merge({list}, {pair}, 9)", gives=None, about=("merge",)),
        Operation("count_pairs({list})", gives=None, about=("count_pairs",)),
        # a list that was passed and comes back is a stand-in, which is no instance of ``list``
        Operation('hasattr(merge({ids}, {pair}, 9), "append")', about=("merge",)),
        Operation("merge({list:ids}, {pair}, 9) is {list:ids}", about=("merge",)),
        Operation("{} = Tokenizer({text}, {size})", gives="Tokenizer", about=("Tokenizer.__init__",)),
        Operation("list({Tokenizer}.encode({other}))", about=("Tokenizer.encode",)),
        # where two learnt pairs would fit, and where the longest piece is or is not the right one
        Operation('list(Tokenizer("bcxbcybczabvabw", 258).encode({other}))', about=("Tokenizer.encode",)),
        Operation(
            'list(Tokenizer("bcwbcxbcybczabcuabcvab-ab!ab", 259).encode({other}))', about=("Tokenizer.encode",)
        ),
        # where the pair that was learnt last overlaps the first one on its right
        Operation('list(Tokenizer("aaab", 258).encode("aab"))', about=("Tokenizer.encode",)),
        Operation("isinstance({Tokenizer}.encode({other}), list)", about=("Tokenizer.encode",)),
        Operation("{Tokenizer}.decode({list})", about=("Tokenizer.decode",)),
        Operation("{Tokenizer}.decode({bytes})", about=("Tokenizer.decode",)),
        Operation("{Tokenizer:t}.decode({Tokenizer:t}.encode({other}))", about=("Tokenizer.decode",)),
    ],
    observe={"list": ["{}"], "Tokenizer": ["list({}.merges.items())"]},
)
