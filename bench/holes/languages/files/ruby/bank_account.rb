require "bigdecimal"
require "time"

class InsufficientFunds < StandardError
  attr_reader :balance, :amount

  def initialize(balance, amount)
    @balance = balance
    @amount = amount
    super("cannot withdraw #{amount}, the balance is #{balance}")
  end
end

class BankAccount
  Entry = Struct.new(:kind, :amount, :at)

  attr_reader :owner, :entries

  def initialize(owner)
    @owner = owner
    @entries = []
  end

  def balance
    entries.sum { |entry| entry.kind == :deposit ? entry.amount : -entry.amount }
  end

  def deposit(amount)
    check(amount)
    record(:deposit, amount)
  end

  def withdraw(amount)
    check(amount)
    raise InsufficientFunds.new(balance, amount) if amount > balance

    record(:withdrawal, amount)
  end

  def transfer(amount, to:)
    withdraw(amount)
    to.deposit(amount)
  end

  def statement
    total = 0
    entries.map do |entry|
      total += entry.kind == :deposit ? entry.amount : -entry.amount
      format("%s %-10s %10.2f %10.2f", entry.at.iso8601, entry.kind, entry.amount, total)
    end
  end

  def deposits
    entries.select { |entry| entry.kind == :deposit }
  end

  def withdrawals
    entries.select { |entry| entry.kind == :withdrawal }
  end

  def largest(kind)
    entries.select { |entry| entry.kind == kind }.max_by(&:amount)
  end

  def to_s
    "#{owner}: #{format('%.2f', balance)}"
  end

  private

  def check(amount)
    raise ArgumentError, "amount must be positive" unless amount.positive?
  end

  def record(kind, amount)
    entries << Entry.new(kind, amount, Time.now)
    self
  end
end
