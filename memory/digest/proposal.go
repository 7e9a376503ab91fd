package digest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"kith/graph"
	"kith/internal/fault"
	"kith/internal/llm"
)

// maxShownFaults bounds how many faults of an answer are reported.
const maxShownFaults = 20

// parseProposal parses the proposals of an answer, and checks that they can be stored. The answer may contain nothing
// else but the code fence that many models put around JSON. The error names places, never values.
func parseProposal[T any](answer string, check func(*T) error) (*T, error) {
	proposal, err := decodeProposal[T](stripFence(answer))
	if err == nil {
		err = check(proposal)
	}
	if err != nil {
		return nil, fmt.Errorf("the proposals cannot be stored: %w: %w", limitFaults(err), llm.ErrGarbled)
	}
	return proposal, nil
}

func decodeProposal[T any](text string) (*T, error) {
	proposal := new(T)
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(proposal); err != nil {
		return nil, describeJSONError(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected text after the object")
	}
	return proposal, nil
}

func validate(p *graph.Proposal) error {
	if p.Nodes == nil || p.Relationships == nil {
		return errors.New("nodes and relationships must be lists")
	}
	return p.Validate()
}

// stripFence returns an answer without the code fence around it.
func stripFence(answer string) string {
	answer = strings.TrimSpace(answer)
	inner, opened := strings.CutPrefix(answer, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	if !opened || !closed {
		return answer
	}
	return strings.TrimPrefix(inner, "json")
}

// describeJSONError returns an error that says where an answer has the wrong form, without its values.
func describeJSONError(err error) error {
	var (
		syntax *json.SyntaxError
		form   *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("invalid JSON at byte %d", syntax.Offset)
	case errors.As(err, &form) && form.Field != "":
		return fmt.Errorf("%s: wrong type", form.Field)
	case errors.As(err, &form):
		return fmt.Errorf("wrong type of a value before byte %d", form.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("unexpected end of the object")
	default:
		return errors.New("unknown field")
	}
}

// limitFaults returns an error with only the first of its faults.
func limitFaults(err error) error {
	var invalid *fault.InvalidError
	if errors.As(err, &invalid) {
		return &fault.InvalidError{Fields: invalid.Fields[:min(len(invalid.Fields), maxShownFaults)]}
	}
	return err
}
