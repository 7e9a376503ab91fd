package command

import (
	"errors"
	"strconv"
	"time"
)

// keepTime is how long something is kept: more than 0.
type keepTime time.Duration

// UnmarshalText parses the duration.
func (k *keepTime) UnmarshalText(text []byte) error {
	value, err := time.ParseDuration(string(text))
	if err != nil || value <= 0 {
		return errors.New("must be a duration of more than 0, such as 720h")
	}
	*k = keepTime(value)
	return nil
}

// mergeFrom is the value of KITH_DUPLICATES_MERGE, a probability that is high enough, or 0.
type mergeFrom float64

// UnmarshalText parses the probability.
func (m *mergeFrom) UnmarshalText(text []byte) error {
	value, err := strconv.ParseFloat(string(text), 64)
	if err != nil || value != 0 && (value < 0.9 || value > 1) {
		return errors.New("KITH_DUPLICATES_MERGE: must be 0, or from 0.9 to 1")
	}
	*m = mergeFrom(value)
	return nil
}
