// Keep the secret of a launch in the platform's storage where cookies are blocked (LTI Platform Storage), and
// send forms that only pass something on. It reads what to do from the page; nothing of a person's is on it.
"use strict";
const page = document.getElementById("lti");
const { action, origin, target, key, value, next } = page.dataset;
const WAIT = 6000; // milliseconds; a platform without storage never answers
const AGAIN = 300;

function finish(found) {
  if (action === "put") {
    window.location.replace(next);
  } else {
    if (action === "get") page.elements.binding.value = found || "";
    page.submit();
  }
}

function ask(message) {
  const platform = window.opener || window.parent;
  let frame = null;
  try {
    frame = target === "_parent" ? platform : platform.frames[target];
  } catch (error) {
    frame = null; // not there: as if it did not answer
  }
  const id = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
  const send = () => {
    if (frame && frame !== window && origin) frame.postMessage({ ...message, message_id: id }, origin);
  };
  const again = window.setInterval(send, AGAIN); // the platform may not listen yet
  const timer = window.setTimeout(() => {
    window.clearInterval(again);
    finish("");
  }, WAIT);
  window.addEventListener("message", function hear(event) {
    const { data } = event;
    if (event.origin !== origin || !data || data.message_id !== id) return;
    if (data.subject !== `${message.subject}.response`) return;
    window.removeEventListener("message", hear);
    window.clearTimeout(timer);
    window.clearInterval(again);
    finish(typeof data.value === "string" ? data.value : "");
  });
  send();
}

if (action === "put") ask({ subject: "lti.put_data", key, value });
else if (action === "get") ask({ subject: "lti.get_data", key });
else if (action === "close") (window.opener || window.parent).postMessage({ subject: "org.imsglobal.lti.close" }, origin);
else finish("");
