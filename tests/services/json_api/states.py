"""States of the generic API that several tests use."""

LEDGER = {
    "apis": {
        "ledger": {
            "host": "api.tide-ledger.example",
            "error_style": "fastapi",
            "collections": {
                "people": {
                    "p-17": {"id": "p-17", "email": "ada@ledger.example", "team": {"code": "N"}, "active": True},
                    "p-18": {"id": "p-18", "email": "bo@ledger.example", "team": {"code": "S"}, "active": False},
                    "p-19": {"id": "p-19", "email": "cy@ledger.example", "team": {"code": "N"}, "active": True},
                },
                "notes": {"n-40": {"id": "n-40", "slug": "first", "name": "First"}},
            },
            "routes": {
                "GET /v2/people": {
                    "collection": "people",
                    "action": "list",
                    "query": {"limit": {"type": "integer", "minimum": 1}},
                },
                "GET /v2/people/{id}": {"collection": "people", "action": "get"},
                "PATCH /v2/people/{id}": {"collection": "people", "action": "update"},
                "PUT /v2/people/{id}": {"collection": "people", "action": "update"},
                "GET /v2/find": {"collection": "people", "action": "lookup", "by": "email"},
                "GET /v2/items/{item_id}": {
                    "collection": "items",
                    "action": "get",
                    "params": {"item_id": {"type": "integer"}},
                },
                "POST /v2/notes": {
                    "collection": "notes",
                    "action": "create",
                    "id": {"prefix": "n-", "start": 40},
                    "stamp": "created_at",
                    "defaults": {"state": "open"},
                    "unique": ["slug"],
                    "references": {"person_id": "people"},
                    "rules": [{"when": {"body": {"qty": {"$above": 100}}}, "status": 403, "detail": "Too many"}],
                    "schema": {
                        "required": ["name", "qty"],
                        "properties": {
                            "name": {"type": "string", "minLength": 1},
                            "qty": {"type": "integer"},
                            "kind": {"type": "string", "enum": ["a", "b"]},
                            "tags": {"type": "array", "items": {"type": "string"}},
                        },
                    },
                },
                "DELETE /v2/notes/{id}": {"collection": "notes", "action": "delete"},
                "GET /health": {"action": "static", "body": {"up": True}, "headers": {"X-Build": "7"}},
                "GET /motd": {
                    "action": "static",
                    "status": 203,
                    "body": "low water",
                    "headers": {"Content-Type": "text/markdown"},
                },
            },
        }
    }
}
