// HTML that a model wrote, reduced to harmless tags without handlers, styles, pictures or forms.

import DOMPurify from "dompurify";

const rules = {
  ALLOWED_TAGS:
    "details summary p br b strong i em u s del sub sup kbd mark small code pre blockquote ul ol li dl dt dd table thead tbody tr th td h2 h3 h4 h5 h6 hr span div a".split(
      " ",
    ),
  ALLOWED_ATTR: ["href", "open", "colspan", "rowspan", "start"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
};

export function SafeHtml({ html }: { html: string }) {
  const clean = DOMPurify.sanitize(html, rules);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised on the line above
  return <div dangerouslySetInnerHTML={{ __html: clean }} />;
}
