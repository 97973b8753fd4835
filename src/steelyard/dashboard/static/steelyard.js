// Keys for pages whose controls carry data-key. Everything here also works by link and form, without this file.
"use strict";

(() => {
  const toggle = document.querySelector("[data-keys]");
  const stored = () => {
    try {
      return window.localStorage.getItem("steelyard-keys") !== "off";
    } catch {
      return true;
    }
  };
  const show = (on) => document.body.classList.toggle("keys-off", !on);

  if (toggle) {
    toggle.closest("[hidden]")?.removeAttribute("hidden");
    toggle.checked = stored();
    show(toggle.checked);
    toggle.addEventListener("change", () => {
      show(toggle.checked);
      try {
        window.localStorage.setItem("steelyard-keys", toggle.checked ? "on" : "off");
      } catch {
        // Without storage the choice holds for this page.
      }
    });
  }

  const typing = (target) => target instanceof HTMLElement && target.closest("input:not([type=checkbox]), textarea, select");

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.key === "Escape" && typing(event.target)) {
      event.target.blur();
      return;
    }
    if (typing(event.target) || (toggle && !toggle.checked)) return;
    const control = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!control) return;
    event.preventDefault();
    if (control.matches("input, textarea")) control.focus();
    else control.click();
  });
})();
