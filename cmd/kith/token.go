package main

import (
	"errors"
	"time"

	"kith/auth"
)

// openTokens verifies the tokens of the issuer that is configured; nil without one.
func (c *config) openTokens() (*auth.Tokens, error) {
	if c.OIDCIssuer == "" && c.OIDCAudience != "" {
		return nil, errors.New("KITH_OIDC_AUDIENCE is given, and no KITH_OIDC_ISSUER")
	}
	if c.OIDCIssuer == "" {
		return nil, nil
	}
	if c.OIDCUserClaim == "" {
		return nil, errors.New("KITH_OIDC_USER_CLAIM is empty: name a claim, or write - to let tokens act for every user of their team")
	}
	user := c.OIDCUserClaim
	if user == "-" { // as an empty setting is the default
		user = ""
	}
	return auth.NewTokens(auth.TokenOptions{
		Issuer: c.OIDCIssuer, Audience: c.OIDCAudience, TeamClaim: c.OIDCTeamClaim, UserClaim: user, ScopesClaim: c.OIDCScopesClaim,
	}, time.Now)
}
