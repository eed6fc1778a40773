"""White, grey and black, with a path stack, as in the textbooks; a cycle would be refused."""
WHITE, GREY, BLACK = range(3)


def build_topo(v, visited, topo):
    if v in visited:
        return None
    colour = {v: GREY}
    path = [(v, iter(v._prev))]
    while path:
        node, operands = path[-1]
        for operand in operands:
            state = BLACK if operand in visited else colour.get(operand, WHITE)
            if state == GREY:
                raise ValueError("a cycle")
            if state == WHITE:
                colour[operand] = GREY
                path.append((operand, iter(operand._prev)))
                break
        else:
            path.pop()
            colour[node] = BLACK
            visited.add(node)
            topo.append(node)
    return None


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return topo[::-1]
