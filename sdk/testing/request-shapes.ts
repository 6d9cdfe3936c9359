// Written by `npm run generate` from openapi.json.

export const CREATE_TASK = {
  "type": "object",
  "required": [
    "task",
    "timeout_seconds",
    "idempotency_key"
  ],
  "properties": {
    "task": {
      "type": "string",
      "minLength": 1,
      "maxLength": 10000
    },
    "payload": {
      "type": "object",
      "additionalProperties": true
    },
    "payload_schema": {
      "type": "object",
      "additionalProperties": true
    },
    "response_schema": {
      "type": "object",
      "additionalProperties": true
    },
    "action": {
      "type": [
        "object",
        "null"
      ],
      "required": [
        "name",
        "args"
      ],
      "properties": {
        "name": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        },
        "args": {
          "type": "object",
          "additionalProperties": true
        },
        "args_schema": {
          "type": [
            "object",
            "null"
          ],
          "additionalProperties": true
        },
        "ui_schema": {
          "type": [
            "object",
            "null"
          ],
          "additionalProperties": true
        },
        "description": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 10000
        },
        "allowed": {
          "type": [
            "array",
            "null"
          ],
          "items": {
            "type": "string",
            "enum": [
              "approve",
              "edit",
              "reject",
              "respond"
            ]
          },
          "minItems": 1,
          "maxItems": 4,
          "uniqueItems": true
        },
        "editable": {
          "type": [
            "array",
            "null"
          ],
          "items": {
            "type": "string",
            "maxLength": 1000
          },
          "minItems": 1,
          "maxItems": 100
        },
        "risk": {
          "type": [
            "string",
            "null"
          ],
          "enum": [
            "normal",
            "high",
            null
          ]
        },
        "message_required": {
          "type": [
            "array",
            "null"
          ],
          "items": {
            "type": "string",
            "enum": [
              "approve",
              "edit",
              "reject",
              "respond"
            ]
          },
          "minItems": 0,
          "maxItems": 4,
          "uniqueItems": true
        }
      },
      "additionalProperties": true
    },
    "actions": {
      "type": [
        "array",
        "null"
      ],
      "items": {
        "type": "object",
        "required": [
          "name",
          "args"
        ],
        "properties": {
          "name": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200
          },
          "args": {
            "type": "object",
            "additionalProperties": true
          },
          "args_schema": {
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "ui_schema": {
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "description": {
            "type": [
              "string",
              "null"
            ],
            "maxLength": 10000
          },
          "allowed": {
            "type": [
              "array",
              "null"
            ],
            "items": {
              "type": "string",
              "enum": [
                "approve",
                "edit",
                "reject",
                "respond"
              ]
            },
            "minItems": 1,
            "maxItems": 4,
            "uniqueItems": true
          },
          "editable": {
            "type": [
              "array",
              "null"
            ],
            "items": {
              "type": "string",
              "maxLength": 1000
            },
            "minItems": 1,
            "maxItems": 100
          },
          "risk": {
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "normal",
              "high",
              null
            ]
          },
          "message_required": {
            "type": [
              "array",
              "null"
            ],
            "items": {
              "type": "string",
              "enum": [
                "approve",
                "edit",
                "reject",
                "respond"
              ]
            },
            "minItems": 0,
            "maxItems": 4,
            "uniqueItems": true
          }
        },
        "additionalProperties": true
      },
      "minItems": 2,
      "maxItems": 50
    },
    "approvals": {
      "type": [
        "object",
        "null"
      ],
      "required": [
        "need"
      ],
      "properties": {
        "need": {
          "type": "integer",
          "minimum": 1,
          "maximum": 10
        },
        "from": {
          "type": [
            "object",
            "null"
          ],
          "additionalProperties": true
        },
        "veto": {
          "type": [
            "string",
            "null"
          ],
          "enum": [
            "any",
            "none",
            null
          ]
        },
        "exclude": {
          "type": [
            "array",
            "null"
          ],
          "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200
          },
          "maxItems": 20
        },
        "blind": {
          "type": [
            "boolean",
            "null"
          ]
        },
        "one_of_each": {
          "type": [
            "array",
            "null"
          ],
          "items": {
            "type": "object",
            "additionalProperties": true
          },
          "maxItems": 10
        }
      },
      "additionalProperties": true
    },
    "escalation": {
      "type": [
        "array",
        "string",
        "null"
      ],
      "maxItems": 10,
      "items": {
        "type": "object",
        "required": [
          "after",
          "do"
        ],
        "properties": {
          "after": {
            "type": [
              "integer",
              "object"
            ],
            "minimum": 1,
            "maximum": 2592000,
            "properties": {
              "fraction": {
                "type": "number",
                "exclusiveMinimum": 0,
                "exclusiveMaximum": 1
              }
            },
            "required": [
              "fraction"
            ]
          },
          "calendar": {
            "type": [
              "string",
              "null"
            ],
            "minLength": 1,
            "maxLength": 64
          },
          "do": {
            "type": "string",
            "enum": [
              "remind",
              "notify",
              "offer",
              "assign",
              "raise"
            ]
          },
          "to": {
            "type": [
              "array",
              "object",
              "null"
            ],
            "items": {
              "type": "string"
            },
            "additionalProperties": true
          }
        },
        "additionalProperties": true
      },
      "minLength": 1,
      "maxLength": 64
    },
    "on_timeout": {
      "type": [
        "object",
        "null"
      ],
      "required": [
        "response"
      ],
      "properties": {
        "response": {
          "type": "object",
          "additionalProperties": true
        }
      },
      "additionalProperties": true
    },
    "form_definition": {
      "type": [
        "object",
        "null"
      ],
      "additionalProperties": true
    },
    "timeout_seconds": {
      "type": "integer",
      "minimum": 60,
      "maximum": 2592000
    },
    "idempotency_key": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255
    },
    "assign_to": {
      "type": [
        "object",
        "null"
      ],
      "additionalProperties": true
    },
    "notify": {
      "type": [
        "array",
        "null"
      ],
      "items": {
        "type": "string"
      }
    },
    "verifier_config": {
      "type": [
        "object",
        "null"
      ],
      "additionalProperties": true
    },
    "redact_payload": {
      "type": [
        "boolean",
        "null"
      ]
    },
    "callback_url": {
      "type": [
        "string",
        "null"
      ],
      "maxLength": 2048
    },
    "callback_events": {
      "type": [
        "array",
        "null"
      ],
      "items": {
        "type": "string",
        "enum": [
          "task.question"
        ]
      },
      "maxItems": 1
    },
    "resume": {
      "type": [
        "array",
        "null"
      ],
      "items": {
        "type": "object",
        "properties": {
          "connection": {
            "type": [
              "string",
              "null"
            ],
            "minLength": 1,
            "maxLength": 100
          },
          "url": {
            "type": [
              "string",
              "null"
            ],
            "minLength": 1,
            "maxLength": 2048
          },
          "select": {
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "outcome",
              "response",
              null
            ]
          }
        },
        "additionalProperties": true
      },
      "maxItems": 3
    },
    "on_behalf_of": {
      "type": [
        "object",
        "null"
      ],
      "properties": {
        "name": {
          "type": "string",
          "minLength": 1,
          "maxLength": 254
        },
        "email": {
          "type": "string",
          "minLength": 1,
          "maxLength": 254
        },
        "id": {
          "type": "string",
          "minLength": 1,
          "maxLength": 254
        }
      },
      "additionalProperties": true
    },
    "labels": {
      "type": [
        "array",
        "null"
      ],
      "items": {
        "type": "string",
        "minLength": 1,
        "maxLength": 50
      },
      "maxItems": 20
    },
    "locale": {
      "type": [
        "string",
        "null"
      ],
      "minLength": 2,
      "maxLength": 60
    },
    "priority": {
      "type": [
        "string",
        "null"
      ],
      "enum": [
        "low",
        "normal",
        "high",
        "urgent",
        null
      ]
    },
    "project": {
      "type": [
        "string",
        "null"
      ],
      "minLength": 1,
      "maxLength": 64
    }
  },
  "additionalProperties": true,
  "if": {
    "anyOf": [
      {
        "type": "object",
        "properties": {
          "action": {
            "type": "object"
          }
        },
        "required": [
          "action"
        ]
      },
      {
        "type": "object",
        "properties": {
          "actions": {
            "type": "array"
          }
        },
        "required": [
          "actions"
        ]
      }
    ]
  },
  "else": {
    "required": [
      "payload",
      "payload_schema",
      "response_schema"
    ]
  }
};

export const COMPLETE_TASK = {
  "type": "object",
  "required": [
    "response"
  ],
  "properties": {
    "response": {
      "type": "object",
      "additionalProperties": true
    },
    "round": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1
    },
    "version": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1
    },
    "completed_by_email": {
      "type": [
        "string",
        "null"
      ],
      "minLength": 1,
      "maxLength": 254
    },
    "completed_via_channel": {
      "type": [
        "string",
        "null"
      ],
      "minLength": 1,
      "maxLength": 100
    }
  },
  "additionalProperties": true
};

export const CANCEL_TASK = {
  "type": "object",
  "properties": {
    "reason": {
      "type": [
        "string",
        "null"
      ],
      "maxLength": 2000
    }
  },
  "additionalProperties": true
};

export const ADD_COMMENT = {
  "type": "object",
  "required": [
    "text"
  ],
  "properties": {
    "text": {
      "type": "string",
      "minLength": 1,
      "maxLength": 20000
    },
    "files": {
      "type": [
        "array",
        "null"
      ],
      "items": {
        "type": "object",
        "required": [
          "url",
          "sha256",
          "bytes",
          "media_type",
          "name"
        ],
        "properties": {
          "url": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2048
          },
          "sha256": {
            "type": "string",
            "pattern": "^[0-9a-fA-F]{64}$"
          },
          "bytes": {
            "type": "integer",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "media_type": {
            "type": "string",
            "maxLength": 127,
            "pattern": "^[A-Za-z0-9][\\w!#$&^.+-]*\\/[A-Za-z0-9][\\w!#$&^.+-]*$"
          },
          "name": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255
          }
        }
      },
      "maxItems": 10
    },
    "kind": {
      "type": [
        "string",
        "null"
      ],
      "enum": [
        "comment",
        "question",
        null
      ]
    },
    "reply_to": {
      "type": [
        "string",
        "null"
      ],
      "minLength": 1,
      "maxLength": 100
    },
    "idempotency_key": {
      "type": [
        "string",
        "null"
      ],
      "minLength": 1,
      "maxLength": 255
    }
  },
  "additionalProperties": true
};

export const REVISE_TASK = {
  "type": "object",
  "additionalProperties": true,
  "properties": {
    "payload": {
      "type": [
        "object",
        "null"
      ],
      "additionalProperties": true
    },
    "note": {
      "type": [
        "string",
        "null"
      ],
      "maxLength": 4000
    },
    "extend_seconds": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1,
      "maximum": 2592000
    },
    "version": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1
    },
    "idempotency_key": {
      "type": [
        "string",
        "null"
      ],
      "minLength": 1,
      "maxLength": 255
    }
  }
};

export const EXTEND_TASK = {
  "type": "object",
  "required": [
    "timeout_seconds"
  ],
  "properties": {
    "timeout_seconds": {
      "type": "integer",
      "minimum": 60,
      "maximum": 2592000
    }
  },
  "additionalProperties": true
};

export const LIST_TASKS = {
  "type": "object",
  "properties": {
    "project": {
      "type": "string",
      "minLength": 1,
      "maxLength": 64
    },
    "status": {
      "type": "array",
      "items": {
        "type": "string",
        "enum": [
          "created",
          "rejected",
          "completed",
          "timed_out",
          "cancelled",
          "verification_exhausted"
        ]
      },
      "maxItems": 6
    },
    "assigned_to": {
      "type": "string",
      "minLength": 1,
      "maxLength": 254
    },
    "unassigned": {
      "type": "boolean"
    },
    "terminal": {
      "type": "boolean"
    },
    "q": {
      "type": "string",
      "maxLength": 200
    },
    "label": {
      "type": "array",
      "items": {
        "type": "string",
        "minLength": 1,
        "maxLength": 50
      },
      "maxItems": 20
    },
    "priority": {
      "type": "string",
      "enum": [
        "low",
        "normal",
        "high",
        "urgent"
      ]
    },
    "key": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255
    },
    "agent": {
      "type": "string",
      "minLength": 1,
      "maxLength": 100
    },
    "key_prefix": {
      "type": "string",
      "minLength": 1,
      "maxLength": 200
    },
    "decision": {
      "type": "string",
      "minLength": 1,
      "maxLength": 200
    },
    "completed_by": {
      "type": "string",
      "minLength": 1,
      "maxLength": 254
    },
    "channel": {
      "type": "string",
      "minLength": 1,
      "maxLength": 100
    },
    "ended_after": {
      "type": "string",
      "maxLength": 40
    },
    "ended_before": {
      "type": "string",
      "maxLength": 40
    },
    "created_after": {
      "type": "string",
      "maxLength": 40
    },
    "created_before": {
      "type": "string",
      "maxLength": 40
    },
    "tone": {
      "type": "string",
      "enum": [
        "ok",
        "bad"
      ]
    },
    "edited": {
      "type": "boolean"
    },
    "refused": {
      "type": "boolean"
    },
    "question": {
      "type": "string",
      "minLength": 1,
      "maxLength": 100
    },
    "sort": {
      "type": "string",
      "enum": [
        "created",
        "deadline",
        "ended"
      ]
    },
    "limit": {
      "type": "integer",
      "minimum": 1,
      "maximum": 200
    },
    "cursor": {
      "type": "string",
      "maxLength": 500
    },
    "offset": {
      "type": "integer",
      "minimum": 0,
      "maximum": 1000000
    },
    "include": {
      "type": "string",
      "enum": [
        "schemas"
      ]
    },
    "view": {
      "type": "string",
      "enum": [
        "full",
        "summary"
      ]
    }
  }
};

export const POLL_TASK = {
  "type": "object",
  "properties": {
    "timeout": {
      "type": "integer",
      "minimum": 0,
      "maximum": 60,
      "default": 25
    },
    "until": {
      "type": "string",
      "enum": [
        "end",
        "attention"
      ],
      "default": "end"
    }
  }
};
