package duplicate

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

const maxFields = 100 // of a node's properties

// field is a value of a node's properties.
type field struct {
	sort  sort
	value string
}

// sort names how a value is compared.
type sort string

const (
	dateSort   sort = "date"
	numberSort sort = "number" // at least 6 digits: a telephone number, a customer's number
	smallSort  sort = "small"  // a shorter number
	textSort   sort = "text"
)

// readFields reads the properties of a node. E-mail addresses are kept apart from the others.
func (p *profile) readFields(properties map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		if len(p.fields) == maxFields {
			return
		}
		switch value := properties[key].(type) {
		case string:
			p.readField(key, value)
		case float64:
			p.readField(key, strconv.FormatFloat(value, 'f', -1, 64))
		case []any:
			for _, item := range value {
				if text, is := item.(string); is && strings.Contains(text, "@") {
					p.readField(key, text)
				}
			}
		}
	}
}

func (p *profile) readField(key, value string) {
	value = strings.TrimSpace(value)
	if len(value) > maxLength || value == "" {
		return
	}
	if local, domain, found := strings.Cut(value, "@"); found && local != "" && strings.Contains(domain, ".") && !strings.ContainsAny(value, " /") {
		p.emails = append(p.emails, strings.ToLower(value))
		return
	}
	f := field{textSort, strings.Join(splitWords(value), " ")}
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, value)
	switch day := readDay(value); {
	case day != "":
		f = field{dateSort, day}
	case len(digits) >= 6 && 2*len(digits) > len(value):
		f = field{numberSort, digits[max(0, len(digits)-9):]}
	case digits != "" && len(digits) == len(value):
		f = field{smallSort, digits}
	}
	if f.value != "" {
		p.fields[strings.ToLower(key)] = f
	}
}

// readDay returns a date as eight digits; empty if the text is none.
func readDay(text string) string {
	for _, form := range []string{time.DateOnly, "20060102", time.RFC3339, "02.01.2006", "2006/01/02"} {
		if day, err := time.Parse(form, text); err == nil && day.Year() > 1800 && day.Year() < 2200 {
			return day.Format("20060102")
		}
	}
	return ""
}

// fields adds the features of the fields that both nodes have.
func (c *comparison) fields(f features) {
	for _, key := range slices.Sorted(maps.Keys(c.a.fields)) {
		x := c.a.fields[key]
		y, both := c.b.fields[key]
		if !both || x.sort != y.sort {
			continue
		}
		f[string(x.sort)+"_"+c.values(x, y)]++
	}
	for name, size := range f {
		f[name] = min(size, 4)
	}
}

func (c *comparison) values(x, y field) string {
	switch {
	case x.value == y.value:
		return "same"
	case x.sort == textSort:
		if c.isNear(strings.ReplaceAll(x.value, " ", ""), strings.ReplaceAll(y.value, " ", ""), 0.88) {
			return "near"
		}
	case oneMistake(x.value, y.value):
		return "near"
	}
	return "other"
}

// oneMistake reports whether two texts differ in one character, or in two that changed places.
func oneMistake(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch restA, restB := a[i:], b[i:]; {
	case len(b)-len(a) > 1:
		return false
	case len(a) < len(b):
		return restA == restB[1:]
	case restA == "":
		return true
	case restA[1:] == restB[1:]:
		return true
	default:
		return len(restA) > 1 && restA[0] == restB[1] && restA[1] == restB[0] && restA[2:] == restB[2:]
	}
}

// compareEmails adds the features of e-mail addresses, also of one that is made of the other's name.
func compareEmails(f features, a, b *profile) {
	same, local := false, false
	for _, x := range a.emails {
		for _, y := range b.emails {
			same = same || x == y
			localX, _, _ := strings.Cut(x, "@")
			localY, _, _ := strings.Cut(y, "@")
			local = local || len(localX) > 4 && localX == localY
		}
	}
	switch {
	case same:
		f["email_same"] = 1
	case local || namesAddress(a, b) || namesAddress(b, a):
		f["email_near"] = 1
	case len(a.emails) > 0 && len(b.emails) > 0:
		f["email_other"] = 1
	}
}

// namesAddress reports whether an address of the first node is made of a name of the other, which has no address.
func namesAddress(a, b *profile) bool {
	if len(b.emails) > 0 || !a.isPerson() {
		return false
	}
	for _, address := range a.emails {
		local, _, _ := strings.Cut(plain(address), "@")
		local, _, _ = strings.Cut(local, "+")
		letters := strings.NewReplacer(".", "", "_", "", "-", "").Replace(strings.TrimRight(local, "0123456789"))
		for _, n := range b.names {
			if len(n.core) < 2 {
				continue
			}
			given, family := n.core[0], n.core[len(n.core)-1]
			if slices.Contains([]string{given + family, family + given, given[:1] + family, family + given[:1]}, letters) {
				return true
			}
		}
	}
	return false
}
