package loader

import (
	"fmt"
	"strings"
	"testing"

	"kith/text/tokens"
)

// TestHistoryKeepsItsBudget: the newest whole, those before them shortened, the oldest left out, all in their order.
func TestHistoryKeepsItsBudget(t *testing.T) {
	t.Parallel()
	var all []PromptMessage
	for i := range 100 {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		all = append(all, PromptMessage{role, fmt.Sprintf("%d. %s", i, strings.Repeat("The tide turns at the pier. ", 1+i%20))})
	}
	for _, budget := range []int{0, 1, 15, 16, 17, 40, 100, 500, 1000, 2500, 20_000} {
		h, err := Compress(all, budget)
		if err != nil {
			t.Fatal(err)
		}
		total, before := 0, -1
		for i, m := range h.Messages {
			n, _ := tokens.Count(m.Content)
			total += n
			var number int
			if i == 0 && m.Role == "system" {
				if !strings.Contains(m.Content, fmt.Sprintf("%d earlier messages", h.Usage.LeftOut)) {
					t.Errorf("budget %d: %s", budget, m.Content)
				}
				continue
			}
			_, _ = fmt.Sscanf(m.Content, "%d.", &number)
			if number <= before || number < h.Usage.LeftOut || m.Role != all[number].Role {
				t.Errorf("budget %d: %d after %d", budget, number, before)
			}
			if whole := number >= 100-h.Usage.Whole; whole && m.Content != all[number].Content {
				t.Errorf("budget %d: %d is not whole", budget, number)
			}
			before = number
		}
		if total > budget || total != h.Tokens {
			t.Errorf("budget %d: %d tokens, said %d", budget, total, h.Tokens)
		}
		if sum := h.Usage.Whole + h.Usage.Shortened + h.Usage.LeftOut; sum != 100 {
			t.Errorf("budget %d: %+v", budget, h.Usage)
		}
		if budget == 20_000 && h.Usage.Whole != 100 || budget == 1000 && (h.Usage.Shortened == 0 || h.Usage.LeftOut == 0) {
			t.Errorf("budget %d: %+v", budget, h.Usage)
		}
	}
	h, err := Compress([]PromptMessage{{"user", strings.Repeat("x", 100_000)}}, 100)
	if err != nil || h.Usage.Shortened != 1 || len(h.Messages[0].Content) != 163 {
		t.Errorf("one that is too long: %+v, %v", h, err)
	}
	if h, err = Compress(nil, 100); err != nil || len(h.Messages) != 0 {
		t.Errorf("none: %+v, %v", h, err)
	}
}
