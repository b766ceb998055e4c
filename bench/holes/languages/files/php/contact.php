<?php

session_start();

const MAX_MESSAGE_LENGTH = 2000;

function escape(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES, 'UTF-8');
}

function validate(array $input): array
{
    $errors = [];
    if (trim($input['name'] ?? '') === '') {
        $errors['name'] = 'Please enter your name.';
    }
    if (!filter_var($input['email'] ?? '', FILTER_VALIDATE_EMAIL)) {
        $errors['email'] = 'Please enter a valid email address.';
    }
    $message = trim($input['message'] ?? '');
    if ($message === '') {
        $errors['message'] = 'Please enter a message.';
    } elseif (mb_strlen($message) > MAX_MESSAGE_LENGTH) {
        $errors['message'] = 'The message is too long.';
    }
    return $errors;
}

$errors = [];
$values = ['name' => '', 'email' => '', 'message' => ''];

if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    if (!hash_equals($_SESSION['token'] ?? '', $_POST['token'] ?? '')) {
        http_response_code(403);
        exit;
    }
    $values = array_merge($values, array_intersect_key($_POST, $values));
    $errors = validate($values);
    if ($errors === []) {
        mail('office@example.com', 'Message from ' . $values['name'], $values['message']);
        header('Location: thanks.php');
        exit;
    }
}

$_SESSION['token'] = bin2hex(random_bytes(32));
?>
<form method="post">
    <input type="hidden" name="token" value="<?= escape($_SESSION['token']) ?>">
    <label>Name <input name="name" value="<?= escape($values['name']) ?>"></label>
    <label>Email <input name="email" type="email" value="<?= escape($values['email']) ?>"></label>
    <label>Message <textarea name="message"><?= escape($values['message']) ?></textarea></label>
    <?php foreach ($errors as $error): ?>
        <p class="error"><?= escape($error) ?></p>
    <?php endforeach; ?>
    <button type="submit">Send</button>
</form>
