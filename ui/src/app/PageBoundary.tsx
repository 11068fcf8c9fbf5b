// Holds a page's crash within the page: the rail stays, and the person can try again.

import i18next from "i18next";
import { Component, type ReactNode } from "react";
import { Button } from "@/shared/components/Button";
import { Empty } from "@/shared/components/State";

export class PageBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const error: Error | null = this.state.error;
    if (!error) return this.props.children;
    const again = <Button onClick={() => this.setState({ error: null })}>{i18next.t("tryAgain")}</Button>;
    return (
      <main className="flex-1 bg-surface">
        <Empty title={i18next.t("pageFailed")} body={(error as Error).message} action={again} />
      </main>
    );
  }
}
