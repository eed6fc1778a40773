"""Loops over places instead of zip."""


class Vector:
    def __init__(self, numbers):
        self.numbers = [*numbers]

    def __add__(self, other):
        sums = []
        for place in range(len(self.numbers)):
            sums.append(other.numbers[place] + self.numbers[place])
        return Vector(sums)

    def dot(self, other):
        total = 0
        for place, number in enumerate(self.numbers):
            total += other.numbers[place] * number
        return total
