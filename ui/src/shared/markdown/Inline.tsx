// Inline tokens as elements. Links open in the browser and only to the web and mail; pictures from elsewhere are links,
// so that reading a reply fetches nothing.

import type { Token, Tokens } from "marked";
import type { ReactNode } from "react";
import type { MathToken } from "./dialect";
import { Formula } from "./Formula";
import { Picture } from "./Picture";

export function Inline({ tokens }: { tokens: Token[] }): ReactNode {
  return draw(tokens);
}

/** HTML tags that a reply may use inside a line, without attributes. */
const plainTags = new Set([
  "b",
  "strong",
  "i",
  "em",
  "u",
  "s",
  "del",
  "ins",
  "sub",
  "sup",
  "kbd",
  "mark",
  "small",
  "code",
  "q",
]);

function draw(tokens: readonly Token[]): ReactNode[] {
  const drawn: ReactNode[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (!token) continue;
    const tag = token.type === "html" ? /^<([a-z]+)>$/i.exec(token.raw)?.[1]?.toLowerCase() : undefined;
    const end = tag && plainTags.has(tag) ? closing(tokens, at, tag) : -1;
    if (tag && end > at) {
      const Tag = tag as "b";
      drawn.push(<Tag key={at}>{draw(tokens.slice(at + 1, end))}</Tag>);
      at = end;
    } else drawn.push(<One key={at} token={token} />);
  }
  return drawn;
}

function closing(tokens: readonly Token[], from: number, tag: string): number {
  return tokens.findIndex(({ type, raw }, at) => at > from && type === "html" && raw.toLowerCase() === `</${tag}>`);
}

function One({ token }: { token: Token }): ReactNode {
  const inner = "tokens" in token ? token.tokens : undefined;
  const children = () => <Inline tokens={inner ?? []} />;
  switch (token.type) {
    case "text":
      return inner ? children() : decode(token.text);
    case "escape":
      return token.text;
    case "strong":
      return <strong>{children()}</strong>;
    case "em":
      return <em>{children()}</em>;
    case "del":
      return <del>{children()}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link href={(token as Tokens.Link).href}>{children()}</Link>;
    case "image": {
      const { href, text } = token as Tokens.Image;
      return /^data:image\//.test(href) ? <Picture src={href} alt={text} /> : <Link href={href}>{text || href}</Link>;
    }
    case "math":
      return <Formula text={(token as MathToken).text} display={(token as MathToken).display} />;
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw;
    default:
      return token.raw;
  }
}

function Link({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(https?:|mailto:)/i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer" data-external="">
      {children}
    </a>
  );
}

/** Character references, as the browser reads them. */
function decode(text: string): string {
  if (!/&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]*);/i.test(text)) return text;
  return new DOMParser().parseFromString(text.replaceAll("<", "&lt;"), "text/html").documentElement.textContent ?? text;
}
