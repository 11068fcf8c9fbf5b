// What Hearth is, the first start once more, and checks of what it needs.

import { useQuery } from "@tanstack/react-query";
import { Check, CircleAlert, CircleCheck, Copy, RefreshCw } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { DoctorRow } from "@/bindings/DoctorRow";
import { call } from "@/bridge";
import { Button } from "@/shared/components/Button";
import { Group, Row } from "@/shared/components/Group";
import { Failure, Skeleton } from "@/shared/components/State";
import { Said } from "@/shared/i18n/said";
import { go, pathOf } from "@/shared/route";
import { showTourAt } from "@/shared/tour";
import { useCopy } from "@/shared/useCopy";
import { diagnostics } from "./diagnostics";
import type { SectionProps } from "./SettingsPage";
import { UpdateGroup } from "./UpdateGroup";

export function AboutSection({ settings }: SectionProps) {
  const { t } = useTranslation("settings");
  const doctor = useQuery({ queryKey: ["doctor"], queryFn: () => call("doctor_run"), staleTime: 0 });
  const [copied, copy] = useCopy();
  const actions = (
    <div className="flex gap-2">
      <Button
        size="sm"
        kind="quiet"
        busy={doctor.isFetching}
        icon={<RefreshCw aria-hidden className="size-4" />}
        onClick={() => void doctor.refetch()}
      >
        {t("checkAgain")}
      </Button>
      <Button
        size="sm"
        icon={copied ? <Check aria-hidden className="size-4" /> : <Copy aria-hidden className="size-4" />}
        disabled={!doctor.data}
        onClick={() => doctor.data && copy(diagnostics(doctor.data, settings))}
      >
        {copied ? t("copied", { ns: "common" }) : t("copyDiagnostics")}
      </Button>
    </div>
  );
  return (
    <>
      <Group title="Hearth">
        <Row label={t("aboutTitle")} help={t("aboutBody")} />
        <Row label={t("firstStart")} help={t("firstStartHelp")}>
          <Button onClick={() => go(pathOf("first-start"))}>{t("openFirstStart")}</Button>
        </Row>
        <Row label={t("tour")} help={t("tourHelp")}>
          <Button onClick={() => showTourAt(0)}>{t("takeTour")}</Button>
        </Row>
      </Group>
      <UpdateGroup />
      <Group title={t("diagnostics")} help={t("diagnosticsHelp")} actions={actions}>
        {doctor.isPending && <Skeleton lines={4} className="py-4" />}
        {doctor.error && <Failure error={doctor.error} onRetry={() => void doctor.refetch()} className="my-4" />}
        {doctor.data?.map((row) => (
          <CheckRow key={row.check} row={row} />
        ))}
      </Group>
    </>
  );
}

function CheckRow({ row: { check, ok, detail, fix } }: { row: DoctorRow }) {
  const { t } = useTranslation("settings");
  return (
    <div className="flex items-start gap-3 py-3">
      {ok ? (
        <CircleCheck role="img" aria-label={t("inOrder")} className="mt-0.5 size-4 shrink-0 text-good" />
      ) : (
        <CircleAlert role="img" aria-label={t("wrong")} className="mt-0.5 size-4 shrink-0 text-warn" />
      )}
      <div className="selectable min-w-0">
        <p className="font-medium">
          <Said text={check} />
        </p>
        <p className="text-sm break-words text-muted">
          <Said text={detail} />
        </p>
        {fix && (
          <p className="text-sm break-words">
            <Said text={fix} />
          </p>
        )}
      </div>
    </div>
  );
}
