package chatlog

import "errors"

// branch returns the ids from the root of a tree to a leaf. Broken means that the parent of the first is not in the tree.
func branch(parents map[string]string, leaf string) (ids []string, broken bool, err error) {
	passed := map[string]bool{}
	for id := leaf; id != ""; id = parents[id] {
		if passed[id] {
			return nil, false, errors.New("the tree of messages has a cycle")
		}
		if _, known := parents[id]; !known {
			broken = true
			break
		}
		passed[id] = true
		ids = append(ids, id)
	}
	for i, j := 0, len(ids)-1; i < j; i, j = i+1, j-1 {
		ids[i], ids[j] = ids[j], ids[i]
	}
	return ids, broken, nil
}

// onlyLeaf returns the id of the only node without children.
func onlyLeaf(parents map[string]string) (string, error) {
	inner := map[string]bool{}
	for _, parent := range parents {
		inner[parent] = true
	}
	leaf := ""
	for id := range parents {
		switch {
		case inner[id]:
		case leaf != "":
			return "", errors.New("current_node must name a message of the mapping, as there are several branches")
		default:
			leaf = id
		}
	}
	return leaf, nil
}
