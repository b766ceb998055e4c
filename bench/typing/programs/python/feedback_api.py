from datetime import datetime, timezone

from flask import Flask, abort, jsonify, request

app = Flask(__name__)

feedback = {}
next_id = 1


def get_or_404(feedback_id):
    entry = feedback.get(feedback_id)
    if entry is None:
        abort(404, description="Feedback not found")
    return entry


@app.get("/feedback")
def list_feedback():
    rating = request.args.get("rating", type=int)
    entries = [entry for entry in feedback.values() if rating is None or entry["rating"] == rating]
    return jsonify(entries)


@app.post("/feedback")
def create_feedback():
    global next_id
    data = request.get_json()
    rating = data.get("rating")
    if not isinstance(rating, int) or not 1 <= rating <= 5:
        abort(400, description="Rating must be between 1 and 5")
    entry = {
        "id": next_id,
        "rating": rating,
        "comment": data.get("comment", "").strip(),
        "created_at": datetime.now(timezone.utc).isoformat(),
    }
    feedback[next_id] = entry
    next_id += 1
    return jsonify(entry), 201


@app.delete("/feedback/<int:feedback_id>")
def delete_feedback(feedback_id):
    get_or_404(feedback_id)
    del feedback[feedback_id]
    return "", 204


@app.errorhandler(400)
@app.errorhandler(404)
def handle_error(error):
    return jsonify({"error": error.description}), error.code
