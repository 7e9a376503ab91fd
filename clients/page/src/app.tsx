// The frame of the page: sign-in, the list of screens, and the screen of the address.
import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { findKeys, key, keepKey, type Keys, me, Problem, signIn, signOut } from "./api";
import { Field, ProblemNote, Status, Text, user } from "./parts/common";
import type { Issuer } from "./oidc";
import { go, link, route } from "./route";
import { screens } from "./screens";

export function App() {
  const [finding, setFinding] = useState(true);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [issuer, setIssuer] = useState<Issuer | null>(null);
  const [rivals, setRivals] = useState<Keys | null>(null);
  const settle = (begun: Promise<void>) => {
    begun.catch((failure: unknown) => setProblem(problemOf(failure))).finally(() => setFinding(false));
  };
  const choose = (secret: string) => {
    if (secret !== rivals?.kept) signOut();
    setRivals(null);
    setFinding(true);
    settle(signIn(secret));
  };
  useEffect(() => {
    const begin = async () => {
      const found = findKeys();
      if (found.given && found.kept && found.given !== found.kept) return setRivals(found);
      if (found.given || found.kept) return signIn(found.given || found.kept);
      const at = await findIssuer();
      setIssuer(at);
      if (at && location.pathname === signInPath) {
        const { finish } = await import("./oidc");
        const { token, back } = await finish(at);
        await signIn(token);
        if (back.startsWith("/ui/") && back !== signInPath) go(back);
      }
    };
    settle(begin());
  }, []);
  if (finding) return <Status>Signing in…</Status>;
  if (rivals) return <Choose keys={rivals} choose={choose} />;
  return me.value ? <Frame /> : <SignIn before={problem} issuer={issuer} />;
}

const signInPath = "/ui/sign-in"; // to which an issuer leads back

const problemOf = (failure: unknown) => (failure instanceof Problem ? failure : new Problem(-1, `Signing in failed: ${(failure as Error).message}`));

/** The issuer at which the page signs in; null where there is none, or Kith is away. */
async function findIssuer(): Promise<Issuer | null> {
  const answer = await fetch("/ui/sign-in.json", { credentials: "omit" }).catch(() => null);
  const at = answer?.ok ? ((await answer.json()) as Partial<Issuer>) : {};
  return at.client_id ? (at as Issuer) : null;
}

/** Asks before the key of a link replaces the one that the tab keeps: whoever made the link would get what is written from then on. */
function Choose({ keys, choose }: { keys: Keys; choose: (secret: string) => void }) {
  return (
    <main class="sign-in">
      <h1>Two keys</h1>
      <p>This link has another key than the one that is kept for this tab. With the key of the link you see, and write to, the memory of its team and user.</p>
      <div class="buttons">
        <button type="button" onClick={() => choose(keys.kept)}>
          Keep the key of this tab
        </button>
        <button type="button" onClick={() => choose(keys.given)}>
          Use the key of the link
        </button>
      </div>
    </main>
  );
}

function SignIn({ before, issuer }: { before: Problem | null; issuer: Issuer | null }) {
  const [problem, setProblem] = useState<Problem | null>(before);
  const [busy, setBusy] = useState(false);
  const leave = () => {
    setBusy(true);
    import("./oidc")
      .then((oidc) => oidc.leave(issuer!))
      .catch((failure: unknown) => {
        setProblem(problemOf(failure));
        setBusy(false);
      });
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const secret = String(form.get("key")).trim();
    setBusy(true);
    setProblem(null);
    try {
      await signIn(secret);
      if (form.get("keep")) keepKey(secret);
    } catch (failure) {
      setProblem(failure as Problem);
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <h1>Kith</h1>
      <p>See what an agent knows about a user, and why.</p>
      {issuer && (
        <button type="button" onClick={leave} disabled={busy}>
          Sign in at {new URL(issuer.issuer).host}
        </button>
      )}
      <form onSubmit={submit}>
        <Field label="API key">
          <input name="key" type="password" required autocomplete="off" spellcheck={false} placeholder="kith_…" />
        </Field>
        <label class="check">
          <input name="keep" type="checkbox" /> Keep it until this tab is closed
        </label>
        {problem && <ProblemNote problem={problem} />}
        <button type="submit" disabled={busy}>
          Sign in
        </button>
      </form>
      <p class="hint">
        <code>kith ui</code> makes a key that only reads and is valid for an hour, and opens this page with it.
      </p>
    </main>
  );
}

function Frame() {
  const bound = me.value!.user_id;
  const of = bound ?? user();
  const { screen } = route.value;
  const shown = screens.find((s) => s.path === screen);
  useEffect(() => {
    document.title = `${shown?.name ?? "Kith"}${of ? ` · ${of}` : ""} · Kith`;
  }, [screen, of]);
  // A key of one user shows that user, whatever the address says.
  if (bound && user() !== bound) {
    const query = new URLSearchParams(route.value.query);
    query.set("user", bound);
    history.replaceState(null, "", `/ui/${screen || "context"}?${query}`);
    route.value = { screen: screen || "context", query };
    return null;
  }
  const Screen: FunctionComponent = shown ? shown.screen : Missing;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={link("", { user: of })}>
          Kith
        </a>
        <nav aria-label="Screens">
          {screens.map((s) =>
            s.listed && (of || !s.ofUser) ? (
              <a href={link(s.path, { user: of })} aria-current={s === shown ? "page" : undefined}>
                {s.name}
              </a>
            ) : null,
          )}
        </nav>
        <div class="who">
          {of && (
            <span class="of">
              <Text text={of} />
              {!bound && <a href={link("")}>change</a>}
            </span>
          )}
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1} key={screen + " " + of + " " + key.value}>
        <Screen />
      </main>
    </>
  );
}

function Missing() {
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        <a href={link("", { user: user() })}>Back to the start</a>
      </p>
    </>
  );
}
