#!/usr/bin/env python3
"""Doubles of the desktop on the session bus: a notification service and a tray.

Speaks JSON lines: every notification is printed as {"notification": {...}}, every tray icon as
{"tray": NAME}. On standard input it takes {"menu": true} (prints {"menu": [labels]}),
{"choose": LABEL} (clicks that tray entry), {"click": ID} (clicks a notification) and
{"answer": "show", "refuse" or "never"} (how it answers notifications from now on).
"""
import json
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()


def say(**what):
    print(json.dumps(what, ensure_ascii=False), flush=True)


REFUSED = dbus.DBusException("too many", name="org.freedesktop.Notifications.Error.ExcessNotificationGeneration")


class Notifications(dbus.service.Object):
    NAME = "org.freedesktop.Notifications"

    def __init__(self):
        self.name = dbus.service.BusName(self.NAME, bus)
        super().__init__(bus, "/org/freedesktop/Notifications")
        self.count = 0
        self.answer = "show"
        self.unanswered = []

    def answers(self, how):
        self.answer = how
        for fail in self.unanswered:
            fail(REFUSED)
        self.unanswered = []

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u", async_callbacks=("done", "fail"))
    def Notify(self, app, replaces, icon, summary, body, actions, hints, timeout, done, fail):
        if self.answer == "refuse":
            return fail(REFUSED)
        if self.answer == "never":
            return self.unanswered.append(fail)
        self.count += 1
        say(notification={"id": self.count, "title": str(summary), "body": str(body), "actions": [str(a) for a in actions]})
        done(dbus.UInt32(self.count))

    @dbus.service.method(NAME, out_signature="as")
    def GetCapabilities(self):
        return ["body", "actions"]

    @dbus.service.method(NAME, out_signature="ssss")
    def GetServerInformation(self):
        return ("double", "hearth", "1", "1.2")

    @dbus.service.method(NAME, in_signature="u")
    def CloseNotification(self, number):
        self.NotificationClosed(number, dbus.UInt32(3))

    @dbus.service.signal(NAME, signature="uu")
    def NotificationClosed(self, number, reason):
        pass

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, number, action):
        pass


class Tray(dbus.service.Object):
    NAME = "org.kde.StatusNotifierWatcher"

    def __init__(self):
        self.name = dbus.service.BusName(self.NAME, bus)
        super().__init__(bus, "/StatusNotifierWatcher")
        self.item = None

    @dbus.service.method(NAME, in_signature="s", sender_keyword="sender")
    def RegisterStatusNotifierItem(self, service, sender=None):
        service = str(service)
        self.item = (sender, service) if service.startswith("/") else (service, "/StatusNotifierItem")
        say(tray=str(sender))

    @dbus.service.method(NAME, in_signature="s")
    def RegisterStatusNotifierHost(self, service):
        pass

    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return {"IsStatusNotifierHostRegistered": True, "ProtocolVersion": dbus.Int32(0)}.get(str(name), dbus.Array([], signature="s"))

    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        items = dbus.Array([], signature="s")
        return {"IsStatusNotifierHostRegistered": True, "ProtocolVersion": dbus.Int32(0), "RegisteredStatusNotifierItems": items}

    def menu(self):
        owner, path = self.item
        properties = dbus.Interface(bus.get_object(owner, path), "org.freedesktop.DBus.Properties")
        menu_path = properties.Get("org.kde.StatusNotifierItem", "Menu")
        return dbus.Interface(bus.get_object(owner, menu_path), "com.canonical.dbusmenu")

    def entries(self):
        _, layout = self.menu().GetLayout(0, -1, dbus.Array([], signature="s"))
        return {str(child[1].get("label", "")).replace("_", ""): int(child[0]) for child in layout[2]}

    def choose(self, label):
        self.menu().Event(self.entries()[label], "clicked", dbus.Int32(0), dbus.UInt32(0))


notifications, tray = Notifications(), Tray()


def command(source, condition):
    line = sys.stdin.readline()
    if not line:
        loop.quit()
        return False
    order = json.loads(line)
    try:
        if "menu" in order:
            say(menu=[label for label in tray.entries() if label])
        elif "choose" in order:
            tray.choose(order["choose"])
            say(chosen=order["choose"])
        elif "answer" in order:
            notifications.answers(order["answer"])
            say(answers=order["answer"])
        elif "click" in order:
            notifications.ActionInvoked(dbus.UInt32(order["click"]), "default")
            notifications.NotificationClosed(dbus.UInt32(order["click"]), dbus.UInt32(2))
            say(clicked=order["click"])
    except Exception as error:  # the test sees it and fails with this text
        say(error=repr(error))
    return True


GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, command)
say(ready=True)
loop = GLib.MainLoop()
loop.run()
