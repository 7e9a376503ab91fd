package digest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"kith/graph"
	"kith/llm"
)

// shownFaults bounds what of a bad answer is told.
const shownFaults = 20

// parse reads the proposals of an answer, and checks that they can be stored: nothing else may be in it but the fence that
// many models put around JSON. The error names places, never what stands there.
func parse[T any](answer string, check func(*T) error) (*T, error) {
	proposal, err := decode[T](unfenced(answer))
	if err == nil {
		err = check(proposal)
	}
	if err != nil {
		return nil, fmt.Errorf("the proposals cannot be stored: %w: %w", shortened(err), llm.ErrGarbled)
	}
	return proposal, nil
}

func decode[T any](text string) (*T, error) {
	proposal := new(T)
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(proposal); err != nil {
		return nil, formFault(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands behind the object")
	}
	return proposal, nil
}

func validate(p *graph.Proposal) error {
	if p.Nodes == nil || p.Relationships == nil {
		return errors.New("nodes and relationships must be lists")
	}
	return p.Validate()
}

// unfenced is an answer without a code fence around it.
func unfenced(answer string) string {
	answer = strings.TrimSpace(answer)
	inner, opened := strings.CutPrefix(answer, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	if !opened || !closed {
		return answer
	}
	return strings.TrimPrefix(inner, "json")
}

// formFault says where an answer is not of the form that was asked for.
func formFault(err error) error {
	var (
		syntax *json.SyntaxError
		form   *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("no valid JSON at byte %d", syntax.Offset)
	case errors.As(err, &form) && form.Field != "":
		return fmt.Errorf("%s: must be of another type", form.Field)
	case errors.As(err, &form):
		return fmt.Errorf("a value before byte %d must be of another type", form.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the object does not end")
	default:
		return errors.New("a field is not one of those asked for")
	}
}

// shortened is an error with the first of its faults.
func shortened(err error) error {
	var invalid *graph.InvalidError
	if errors.As(err, &invalid) {
		return &graph.InvalidError{Fields: invalid.Fields[:min(len(invalid.Fields), shownFaults)]}
	}
	return err
}
