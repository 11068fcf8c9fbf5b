// Block tokens as elements. No HTML string is set, except for formulas and HTML blocks, which are sanitised first.

import type { Token, Tokens } from "marked";
import { memo } from "react";
import { Code } from "./Code";
import type { MathToken } from "./dialect";
import { Formula } from "./Formula";
import { Inline } from "./Inline";
import { SafeHtml } from "./SafeHtml";

export function BlockContent({ token }: { token: Token }) {
  switch (token.type) {
    case "heading":
      return <Heading token={token as Tokens.Heading} />;
    case "paragraph":
      return (
        <p>
          <Inline tokens={token.tokens ?? []} />
        </p>
      );
    case "text":
      return <Inline tokens={token.tokens ?? [token]} />;
    case "code":
      return <Code text={token.text} lang={(token as Tokens.Code).lang ?? ""} />;
    case "blockquote":
      return (
        <blockquote dir="auto">
          <Blocks tokens={token.tokens ?? []} />
        </blockquote>
      );
    case "list":
      return <List token={token as Tokens.List} />;
    case "table":
      return <Table token={token as Tokens.Table} />;
    case "hr":
      return <hr />;
    case "math":
      return <Formula text={(token as MathToken).text} display />;
    case "html":
      return <SafeHtml html={token.raw} />;
    case "space":
    case "def":
    case "checkbox":
      return null;
    default:
      return <Inline tokens={[token]} />;
  }
}

function Blocks({ tokens }: { tokens: Token[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: a token's place is its identity
  return tokens.map((token, place) => <BlockContent key={place} token={token} />);
}

function Heading({ token }: { token: Tokens.Heading }) {
  // A reply stands below the page's own headings.
  const Tag = `h${Math.min(token.depth + 1, 6)}` as "h2";
  return (
    <Tag data-depth={token.depth}>
      <Inline tokens={token.tokens} />
    </Tag>
  );
}

function List({ token }: { token: Tokens.List }) {
  const items = token.items.map((item, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: an item's place is its identity
    <Item key={place} item={item} />
  ));
  return token.ordered ? (
    <ol dir="auto" start={token.start === "" ? 1 : token.start}>
      {items}
    </ol>
  ) : (
    <ul dir="auto">{items}</ul>
  );
}

/** Drawn again only where its own source changes: a long list grows at its end. */
const Item = memo(
  function Item({ item }: { item: Tokens.ListItem }) {
    if (!item.task)
      return (
        <li>
          <Blocks tokens={item.tokens} />
        </li>
      );
    return (
      <li className="task">
        <input
          type="checkbox"
          checked={Boolean(item.checked)}
          readOnly
          disabled
          aria-label={item.text.split("\n")[0]}
        />
        <Blocks tokens={withoutBox(item.tokens)} />
      </li>
    );
  },
  (before, after) => before.item.raw === after.item.raw && before.item.loose === after.item.loose,
);

/** In a loose list the box is inside the paragraph. */
function withoutBox(tokens: Token[]): Token[] {
  return tokens
    .filter(({ type }) => type !== "checkbox")
    .map((token) => (token.type === "paragraph" ? { ...token, tokens: withoutBox(token.tokens ?? []) } : token));
}

function Table({ token }: { token: Tokens.Table }) {
  const cell = ({ tokens, align, header }: Tokens.TableCell, place: number) => {
    const Tag = header ? "th" : "td";
    return (
      <Tag key={place} style={align ? { textAlign: align } : undefined}>
        <Inline tokens={tokens} />
      </Tag>
    );
  };
  return (
    <div className="tablebox" dir="auto" tabIndex={token.header.length > 4 ? 0 : undefined}>
      <table>
        <thead>
          <tr>{token.header.map(cell)}</tr>
        </thead>
        <tbody>
          {token.rows.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row's place is its identity
            <tr key={place}>{row.map(cell)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
