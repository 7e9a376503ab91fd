// Sign-in at an OpenID Connect issuer: the authorization code flow with PKCE. It is loaded where it is used.
import * as oauth from "oauth4webapi";

/** An issuer at which users of the page sign in, as Kith is configured. */
export interface Issuer {
  issuer: string;
  client_id: string;
  scope: string;
  audience: string;
}

const stored = "kith.sign-in"; // what the answer is checked with, between leaving and coming back

const redirectURI = () => `${location.origin}/ui/sign-in`;

async function metadata(at: Issuer) {
  const issuer = new URL(at.issuer);
  const insecure = { [oauth.allowInsecureRequests]: issuer.protocol === "http:" };
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  return { server, insecure, client: { client_id: at.client_id } };
}

/** Leaves the page for the issuer's. */
export async function leave(at: Issuer) {
  const { server } = await metadata(at);
  if (!server.authorization_endpoint) throw new Error("The issuer has no page to sign in at.");
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = oauth.generateRandomNonce();
  sessionStorage.setItem(stored, JSON.stringify({ verifier, state, nonce, back: location.pathname + location.search }));
  const to = new URL(server.authorization_endpoint);
  const query: Record<string, string> = {
    client_id: at.client_id,
    redirect_uri: redirectURI(),
    response_type: "code",
    scope: at.scope,
    audience: at.audience,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
  };
  if (URL.canParse(at.audience)) query.resource = at.audience; // RFC 8707
  for (const [name, value] of Object.entries(query)) to.searchParams.set(name, value);
  location.assign(to);
}

/** Reads the answer of the issuer from the address, and returns the access token, and the address where the user was before. */
export async function finish(at: Issuer): Promise<{ token: string; back: string }> {
  const answer = new URL(location.href);
  const kept = JSON.parse(sessionStorage.getItem(stored) ?? "{}") as { verifier?: string; state?: string; nonce?: string; back?: string };
  sessionStorage.removeItem(stored);
  history.replaceState(null, "", "/ui/");
  if (!kept.verifier || !kept.state) throw new Error("The sign-in was not begun in this tab.");
  const { server, client, insecure } = await metadata(at);
  const parameters = oauth.validateAuthResponse(server, client, answer, kept.state);
  const response = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, redirectURI(), kept.verifier, {
    ...insecure,
    ...(URL.canParse(at.audience) ? { additionalParameters: { resource: at.audience } } : {}),
  });
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: kept.nonce });
  return { token: tokens.access_token, back: kept.back ?? "/ui/" };
}
