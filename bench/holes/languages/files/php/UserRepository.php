<?php

declare(strict_types=1);

namespace App\Users;

use PDO;
use RuntimeException;

class UserRepository
{
    private PDO $connection;

    public function __construct(PDO $connection)
    {
        $this->connection = $connection;
    }

    public function find(int $id): ?array
    {
        $statement = $this->connection->prepare('SELECT * FROM users WHERE id = :id');
        $statement->execute(['id' => $id]);
        $row = $statement->fetch(PDO::FETCH_ASSOC);
        return $row === false ? null : $row;
    }

    public function findByEmail(string $email): ?array
    {
        $statement = $this->connection->prepare('SELECT * FROM users WHERE email = :email');
        $statement->execute(['email' => $email]);
        $row = $statement->fetch(PDO::FETCH_ASSOC);
        return $row === false ? null : $row;
    }

    /** @return array<int, array> */
    public function all(int $page = 1, int $perPage = 20): array
    {
        $statement = $this->connection->prepare('SELECT * FROM users ORDER BY name LIMIT :limit OFFSET :offset');
        $statement->bindValue('limit', $perPage, PDO::PARAM_INT);
        $statement->bindValue('offset', ($page - 1) * $perPage, PDO::PARAM_INT);
        $statement->execute();
        return $statement->fetchAll(PDO::FETCH_ASSOC);
    }

    public function create(string $name, string $email, string $password): int
    {
        if ($this->findByEmail($email) !== null) {
            throw new RuntimeException("The address $email is taken");
        }
        $statement = $this->connection->prepare(
            'INSERT INTO users (name, email, password_hash) VALUES (:name, :email, :password_hash)'
        );
        $statement->execute([
            'name' => $name,
            'email' => $email,
            'password_hash' => password_hash($password, PASSWORD_DEFAULT),
        ]);
        return (int) $this->connection->lastInsertId();
    }

    public function delete(int $id): bool
    {
        $statement = $this->connection->prepare('DELETE FROM users WHERE id = :id');
        $statement->execute(['id' => $id]);
        return $statement->rowCount() > 0;
    }

    public function verify(string $email, string $password): bool
    {
        $user = $this->findByEmail($email);
        return $user !== null && password_verify($password, $user['password_hash']);
    }
}
