// A picture that came inside the text. One that cannot be read is said by its name.

import { ImageOff } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

export function Picture({ src, alt }: { src: string; alt: string }) {
  const { t } = useTranslation();
  const [broken, setBroken] = useState(false);
  if (!broken) return <img src={src} alt={alt} onError={() => setBroken(true)} />;
  return (
    <span className="text-muted">
      <ImageOff aria-hidden className="mr-1.5 inline size-4 align-[-2px]" />
      {t("pictureBroken", { name: alt || t("picture") })}
    </span>
  );
}
