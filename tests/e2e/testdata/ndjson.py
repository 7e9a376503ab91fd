"""What schemathesis has to be told to send NDJSON: a text is sent as it is."""

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def ndjson(context, value):
    return {"data": value if isinstance(value, bytes) else str(value).encode()}
