package loader

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"

	"kith/text/markup"
)

// Temporal holds the time, computed for each answer.
type Temporal struct {
	SinceLast        *string `json:"time_since_last_conversation" doc:"ISO 8601 duration; null before the first conversation"`
	Current          Moment  `json:"current_datetime"`
	LastConversation *string `json:"last_conversation_type"`
	TimeZone         string  `json:"time_zone" doc:"the zone of current_datetime"`
}

// Moment is the user's local time.
type Moment struct {
	DayOfWeek string `json:"day_of_week"`
	Hour      int    `json:"hour"`
	Date      string `json:"date"`
}

// cachedContext is the cache entry of a context: the rendered body, and the data for the temporal part.
type cachedContext struct {
	Body        []byte
	Sum         string    // of the body
	Whole       string    // sum of all that answers depend on
	Made        time.Time // when it was read
	Temporal    bool      // the temporal part is wanted
	Nothing     bool      // nothing is known of the user
	Erased      bool      // the memory was erased after the moment that was asked for
	Zone        string
	HasLast     bool
	LastStarted time.Time
	LastType    string
}

// encode writes the fields in order, each text with its length first. decodeCached is its inverse, and copies only the
// small fields.
func (k cachedContext) encode() []byte {
	flags := byte(0)
	if k.Temporal {
		flags |= temporalFlag
	}
	if k.HasLast {
		flags |= lastFlag
	}
	if k.Nothing {
		flags |= nothingFlag
	}
	if k.Erased {
		flags |= erasedFlag
	}
	out := make([]byte, 0, len(k.Body)+128)
	out = append(out, flags)
	out = binary.BigEndian.AppendUint64(out, uint64(k.LastStarted.UnixMilli())) //nolint:gosec // read back as it was
	out = binary.BigEndian.AppendUint64(out, uint64(k.Made.UnixMilli()))        //nolint:gosec // read back as it was
	for _, text := range []string{k.Sum, k.Whole, k.Zone, k.LastType} {
		out = binary.AppendUvarint(out, uint64(len(text)))
		out = append(out, text...)
	}
	return append(out, k.Body...)
}

const (
	temporalFlag = 1
	lastFlag     = 2
	nothingFlag  = 4
	erasedFlag   = 8
	fixedSize    = 17
)

var errCached = errors.New("cannot decode cached context")

func decodeCached(raw []byte) (cachedContext, error) {
	if len(raw) < fixedSize {
		return cachedContext{}, errCached
	}
	k := cachedContext{
		Temporal: raw[0]&temporalFlag != 0, HasLast: raw[0]&lastFlag != 0, Nothing: raw[0]&nothingFlag != 0, Erased: raw[0]&erasedFlag != 0,
		LastStarted: time.UnixMilli(int64(binary.BigEndian.Uint64(raw[1:]))).UTC(), //nolint:gosec // see encode
		Made:        time.UnixMilli(int64(binary.BigEndian.Uint64(raw[9:]))).UTC(), //nolint:gosec // see encode
	}
	rest := raw[fixedSize:]
	for _, field := range []*string{&k.Sum, &k.Whole, &k.Zone, &k.LastType} {
		size, n := binary.Uvarint(rest)
		if n <= 0 || size > uint64(len(rest)-n) {
			return cachedContext{}, errCached
		}
		*field = string(rest[n : n+int(size)]) //nolint:gosec // checked above
		rest = rest[n+int(size):]              //nolint:gosec // checked above
	}
	k.Body = rest
	return k, nil
}

// place returns the time zone of an answer: from the request, the preferences, or UTC. An unknown zone in the
// preferences gives UTC and a warning.
func (k cachedContext) place(requested string) (*time.Location, []string) {
	if location := zone(requested); location != nil {
		return location, nil
	}
	if k.Zone == "" {
		return time.UTC, nil
	}
	if location := zone(k.Zone); location != nil {
		return location, nil
	}
	return time.UTC, []string{"the time_zone of the user's preferences is not an IANA time zone; UTC is used"}
}

func (k cachedContext) temporal(now time.Time, place *time.Location) Temporal {
	local := now.In(place)
	t := Temporal{
		Current:  Moment{DayOfWeek: local.Weekday().String(), Hour: local.Hour(), Date: local.Format(time.DateOnly)},
		TimeZone: place.String(),
	}
	if k.HasLast {
		since := duration(now.Sub(k.LastStarted))
		t.SinceLast = &since
	}
	if k.LastType != "" {
		t.LastConversation = &k.LastType
	}
	return t
}

// duration returns an ISO 8601 duration in days, hours, minutes and seconds: P3DT4H, PT16H, PT0S. A negative one is
// PT0S.
func duration(d time.Duration) string {
	seconds := max(int64(d/time.Second), 0)
	days, seconds := seconds/86400, seconds%86400
	text := "P"
	if days > 0 {
		text += strconv.FormatInt(days, 10) + "D"
	}
	clock := ""
	for _, unit := range []struct {
		letter string
		n      int64
	}{{"H", seconds / 3600}, {"M", seconds % 3600 / 60}, {"S", seconds % 60}} {
		if unit.n > 0 {
			clock += strconv.FormatInt(unit.n, 10) + unit.letter
		}
	}
	switch {
	case clock != "":
		return text + "T" + clock
	case days > 0:
		return text
	}
	return "PT0S"
}

// etag changes with the memory and, if the answer has the time, every hour.
func (k cachedContext) etag(t Temporal, now time.Time) string {
	if !k.Temporal {
		return `W/"` + k.Sum + `"`
	}
	hours := int64(0)
	if k.HasLast {
		hours = int64(now.Sub(k.LastStarted) / time.Hour)
	}
	return `W/"` + k.Whole + "-" + t.TimeZone + "-" + t.Current.Date + "-" + strconv.Itoa(t.Current.Hour) + "-" +
		strconv.FormatInt(hours, 10) + `"`
}

// MarshalJSON writes the fields by hand, as it runs for every answer, cached or not. No value needs escapes.
func (t Temporal) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 256)
	out = append(out, `{"time_since_last_conversation":`...)
	out = appendText(out, t.SinceLast)
	out = append(out, `,"current_datetime":{"day_of_week":"`...)
	out = append(out, t.Current.DayOfWeek...)
	out = append(out, `","hour":`...)
	out = strconv.AppendInt(out, int64(t.Current.Hour), 10)
	out = append(out, `,"date":"`...)
	out = append(out, t.Current.Date...)
	out = append(out, `"},"last_conversation_type":`...)
	out = appendText(out, t.LastConversation)
	out = append(out, `,"time_zone":"`...)
	out = append(out, t.TimeZone...)
	return append(out, `"}`...), nil
}

func appendText(out []byte, text *string) []byte {
	if text == nil {
		return append(out, "null"...)
	}
	return append(append(append(out, '"'), *text...), '"')
}

// closing returns the last part of a rendered context: the time.
func (k cachedContext) closing(r *Request, now time.Time) string {
	if !k.Temporal {
		return ""
	}
	place, warnings := k.place(r.TimeZone)
	local := now.In(place)
	line := fmt.Sprintf("## Now\n\n%s (%s).", local.Format("Monday 2006-01-02, 15:04"), place)
	if !k.HasLast {
		line += " This is the first conversation."
	} else {
		line += " Last conversation: " + ago(now.Sub(k.LastStarted))
		if k.LastType != "" {
			line += " (" + markup.Inline(k.LastType) + ")"
		}
		line += "."
	}
	for _, warning := range warnings {
		line += " (" + warning + ".)"
	}
	return line + "\n"
}

// ago returns a rough duration for people.
func ago(d time.Duration) string {
	count := func(n int64, unit string) string {
		if n != 1 {
			unit += "s"
		}
		return fmt.Sprintf("%d %s ago", n, unit)
	}
	switch days := int64(d / (24 * time.Hour)); {
	case days >= 1:
		return count(days, "day")
	case d >= time.Hour:
		return count(int64(d/time.Hour), "hour")
	case d >= time.Minute:
		return count(int64(d/time.Minute), "minute")
	}
	return "just now"
}
