package contract

import (
	"strings"

	"kith/internal/fault"
	"kith/internal/jsonline"

	"github.com/danielgtaylor/huma/v2"
)

// object walks over the members. A duplicate name ends the walk: decoders choose one of the two, or mix both.
func (p *pass) object(s *huma.Schema) bool {
	seen := p.names.open()
	defer seen.close()
	if p.next() == '}' {
		p.required(s, &seen)
		return p.leave()
	}
	for count := 0; ; count++ {
		if count == maxList {
			return p.endHere("must have at most %d members", maxList)
		}
		if !p.member(s, &seen) {
			return false
		}
		if p.next() == '}' {
			p.required(s, &seen)
		}
		if more, ok := p.goesOn('}'); !ok || !more {
			return ok
		}
	}
}

func (p *pass) member(s *huma.Schema, seen *nameSet) bool {
	if p.next() != '"' {
		return p.broken()
	}
	begin := p.at
	if !p.quoted() {
		return false
	}
	name := jsonline.Unquote(p.raw[begin:p.at])
	property, known := propertyOf(s, name)
	if known != "" && known != string(name) {
		name = []byte(known)
	}
	if !seen.add(name) {
		return p.end("has the same name twice in an object, at byte %d", begin+1)
	}
	if p.next() != ':' {
		return p.broken()
	}
	p.at++
	return p.named(name, known != "", s, property)
}

// named walks over the value of a member, with its name in the location.
func (p *pass) named(name []byte, known bool, s, property *huma.Schema) bool {
	begin := len(p.path)
	if begin > 0 {
		p.path = append(p.path, '.')
	}
	p.path = append(p.path, name[:min(len(name), maxName)]...)
	if s != nil && !known && s.AdditionalProperties == false {
		if p.fault(fault.UnknownField, "unexpected property"); len(p.found) == MaxFaults {
			return false // no later name fits either
		}
	}
	ok := p.value(property, needs(s, name))
	p.path = p.path[:begin]
	return ok
}

const maxName = 4 * 64 // bytes of a name, in a location

// propertyOf returns the schema of a member and its name in the schema: decoders ignore the case of names.
func propertyOf(s *huma.Schema, name []byte) (property *huma.Schema, known string) {
	if s == nil {
		return nil, ""
	}
	if property = s.Properties[string(name)]; property != nil {
		return property, string(name)
	}
	if len(name) <= maxName {
		for other, property := range s.Properties {
			if strings.EqualFold(other, string(name)) {
				return property, other
			}
		}
	}
	more, _ := s.AdditionalProperties.(*huma.Schema)
	return more, ""
}

func needs(s *huma.Schema, name []byte) bool {
	if s == nil {
		return false
	}
	for _, needed := range s.Required {
		if needed == string(name) {
			return true
		}
	}
	return false
}

// required records a fault for each missing member of an object.
func (p *pass) required(s *huma.Schema, seen *nameSet) {
	if s == nil || len(p.found) >= MaxFaults {
		return
	}
	for _, name := range s.Required {
		if !seen.has([]byte(name)) && !p.plainReadOnly(s.Properties[name]) {
			p.fault(fault.Required, "expected required property "+name+" to be present")
		}
	}
}

func (p *pass) plainReadOnly(s *huma.Schema) bool { return s != nil && s.ReadOnly }
